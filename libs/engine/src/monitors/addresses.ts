/** Whether an IP address is not on the public internet: loopback, private, link-local, shared, multicast, reserved,
 * documentation, and IPv4 addresses of those kinds inside IPv6. What is no readable address counts as private. */
export const isPrivateAddress = (address: string): boolean => {
  const plain = address.toLowerCase().replace(/^\[|\]$/g, '').split('%')[0] ?? '';
  const v4 = readV4(plain);
  if (v4 !== null) return privateV4(v4);
  const v6 = readV6(plain);
  return v6 === null || privateV6(v6);
};

const readV4 = (text: string): readonly number[] | null => {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return null;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : null;
};

const privateV4 = ([a = 0, b = 0, c = 0]: readonly number[]): boolean =>
  a === 0 ||
  a === 10 ||
  a === 127 ||
  (a === 100 && b >= 64 && b <= 127) ||
  (a === 169 && b === 254) ||
  (a === 172 && b >= 16 && b <= 31) ||
  (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)))) ||
  (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) ||
  (a === 203 && b === 0 && c === 113) ||
  a >= 224;

/** The eight groups of an IPv6 address, or null. */
const readV6 = (text: string): readonly number[] | null => {
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const v4 = readV4(tail);
  const [a = 0, b = 0, c = 0, d = 0] = v4 ?? [];
  const hex =
    v4 === null
      ? text
      : `${text.slice(0, -tail.length)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const halves = hex.split('::');
  if (halves.length > 2) return null;
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - left.length - right.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  return groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null;
};

const privateV6 = (groups: readonly number[]): boolean => {
  const [first = 0, second = 0] = groups;
  const [high = 0, low = 0] = groups.slice(6);
  const inner = [high >> 8, high & 255, low >> 8, low & 255];
  const zeros = groups.slice(0, 5).every((group) => group === 0);
  if (zeros && groups[5] === 0xffff) return privateV4(inner);
  if (first === 0x64 && second === 0xff9b) return privateV4(inner);
  if (first === 0x2002) {
    const third = groups[2] ?? 0;
    return privateV4([second >> 8, second & 255, third >> 8, third & 255]);
  }
  // Only 2000::/3 is routed, and of it not the documentation blocks or Teredo.
  if (first < 0x2000 || first > 0x3fff) return true;
  return (first === 0x2001 && (second === 0xdb8 || second === 0)) || first === 0x3fff;
};
