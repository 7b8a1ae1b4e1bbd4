const fenced = /^<([a-z][a-z_-]*)[^>\n]*>\n([\s\S]*)\n<\/\1[^>\n]*>\s*$/;

/** The text inside the fence that marks untrusted text in a model's input; a text without a fence as it is. */
export const unfenced = (text: string): string => fenced.exec(text)?.[2] ?? text;
