/** How deep lists and tables of a JSON text lie in each other. Stops counting above `most`. Text that is no JSON has a depth too. */
export const depthOf = (text: string, most: number): number => {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === quote) i = endOfString(text, i);
    else if (unit === openList || unit === openTable) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (deepest > most) return deepest;
    } else if (unit === closeList || unit === closeTable) depth -= 1;
  }
  return deepest;
};

const [quote, openList, closeList, openTable, closeTable, backslash] = [34, 91, 93, 123, 125, 92];

/** Index of the quote that ends the string which begins here. */
const endOfString = (text: string, begin: number): number => {
  for (let at = text.indexOf('"', begin + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    // An even number of backslashes escapes only itself.
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
};
