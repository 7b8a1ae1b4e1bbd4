/** The pages of the console, in the order of the navigation. */
export const pages = [
  { href: '/', name: 'Parity' },
  { href: '/agents', name: 'Agents' },
  { href: '/turns', name: 'Turns' },
  { href: '/approvals', name: 'Approvals' },
  { href: '/policy', name: 'Policy' },
  { href: '/work', name: 'Work' },
] as const;
