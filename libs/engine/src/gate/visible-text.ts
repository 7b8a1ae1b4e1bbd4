/** Text in which nothing hides: characters that turn the reading direction, show nothing or steer a terminal stand as `⟨U+202E⟩`.
 * Line feeds and tabs stay. */
export const visibleText = (text: string): string =>
  text.replaceAll(hidden, (character) =>
    character === '\n' || character === '\t' ? character : named(character),
  );

const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

const named = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
};
