/** Who speaks in a message that the turn of a child left. */
export const childVoice = (child: string): string => `child:${child}`;
