/** Foreign text between two marks of which it cannot write the second: the number in the marks is one whose closing mark does not
 * stand in the text. */
export const fenceUntrusted = (text: string, from: string): string => {
  let number = 1;
  while (text.includes(`</untrusted ${number}>`)) number += 1;
  return `<untrusted ${number} from ${from.replaceAll(/[^\w:/.-]/g, '_')}>\n${text}\n</untrusted ${number}>`;
};
