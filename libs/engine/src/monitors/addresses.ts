/** Whether an IP address is not on the public internet: loopback, private, link-local, shared, multicast, reserved,
 * documentation, and IPv4 addresses of those kinds inside IPv6. What is no readable address counts as private. */
export const isPrivateAddress = (address: string): boolean => {
  const plain =
    address
      .toLowerCase()
      .replace(/^\[|\]$/g, '')
      .split('%')[0] ?? '';
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

/** The blocks of IPv4 that are not public: first address and length of the prefix. */
const v4Blocks: readonly (readonly [first: readonly number[], bits: number])[] = [
  [[0, 0, 0, 0], 8],
  [[10, 0, 0, 0], 8],
  [[100, 64, 0, 0], 10],
  [[127, 0, 0, 0], 8],
  [[169, 254, 0, 0], 16],
  [[172, 16, 0, 0], 12],
  [[192, 0, 0, 0], 24],
  [[192, 0, 2, 0], 24],
  [[192, 168, 0, 0], 16],
  [[198, 18, 0, 0], 15],
  [[198, 51, 100, 0], 24],
  [[203, 0, 113, 0], 24],
  [[224, 0, 0, 0], 3],
];

const asNumber = (bytes: readonly number[]): number =>
  bytes.reduce((sum, byte) => sum * 256 + byte, 0);

const privateV4 = (bytes: readonly number[]): boolean =>
  v4Blocks.some(([first, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(asNumber(bytes) / size) === Math.floor(asNumber(first) / size);
  });

/** Replaces an IPv4 address at the end by its two groups. */
const withoutV4 = (text: string): string => {
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const v4 = readV4(tail);
  if (v4 === null) return text;
  const number = asNumber(v4);
  const groups = [Math.floor(number / 65_536), number % 65_536];
  return `${text.slice(0, -tail.length)}${groups.map((group) => group.toString(16)).join(':')}`;
};

const groupsIn = (half: string): readonly string[] => (half === '' ? [] : half.split(':'));

/** The eight groups of an IPv6 address, or null. */
const readV6 = (text: string): readonly number[] | null => {
  const halves = withoutV4(text).split('::');
  if (halves.length > 2) return null;
  const [left = [], right = []] = halves.map(groupsIn);
  const missing = 8 - left.length - right.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  return groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null;
};

const bytesOf = (groups: readonly number[]): readonly number[] =>
  groups.flatMap((group) => [group >> 8, group & 255]);

/** The IPv4 address that an IPv6 one stands for: mapped, translated or tunnelled; null for others. */
const innerV4 = (groups: readonly number[]): readonly number[] | null => {
  const head = groups.slice(0, 6).join(':');
  if (head === '0:0:0:0:0:65535' || head.startsWith('100:65435:')) return bytesOf(groups.slice(6));
  return groups[0] === 0x2002 ? bytesOf(groups.slice(1, 3)) : null;
};

const privateV6 = (groups: readonly number[]): boolean => {
  const inner = innerV4(groups);
  if (inner !== null) return privateV4(inner);
  const [first = 0, second = 0] = groups;
  // Only 2000::/3 is routed, and of it not the documentation blocks or Teredo.
  if (first < 0x2000 || first > 0x3fff) return true;
  return first === 0x3fff || (first === 0x2001 && (second === 0xdb8 || second === 0));
};
