import ipaddr from 'ipaddr.js';

/** Addresses in public ranges that clouds answer with the machine's own secrets. */
const metadata = new Set(['168.63.129.16']);

/** Whether an address leads to the machine, its networks or nowhere: everything that is not plainly public. */
export const isPrivate = (address: string): boolean => {
  const plain = address.split('%')[0] ?? address;
  if (!ipaddr.isValid(plain)) return true;
  const parsed = ipaddr.process(plain);
  if (parsed.kind() === 'ipv4') return metadata.has(plain) || !isPublicV4(parsed.toString());
  const six = ipaddr.IPv6.parse(plain);
  const embedded = translated(six);
  if (embedded !== null) return isPrivate(embedded);
  const [first = 0] = six.parts;
  // Of the whole space only 2000::/3 is given out.
  return first >> 13 !== 1 || six.range() !== 'unicast';
};

const isPublicV4 = (address: string): boolean =>
  !metadata.has(address) && ipaddr.IPv4.parse(address).range() === 'unicast';

/** The IPv4 address that a translator would connect to (NAT64 in its well-known prefix). */
const translated = (six: ipaddr.IPv6): string | null => {
  if (six.range() !== 'rfc6052') return null;
  const [high = 0, low = 0] = six.parts.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
};
