import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The one accent: a deep teal, dark enough for white text in both themes. */
const teal: MantineColorsTuple = [
  '#e6f6f4',
  '#cdebe7',
  '#9cd7d0',
  '#67c2b8',
  '#3fb0a4',
  '#249f92',
  '#12857a',
  '#0b7167',
  '#075e56',
  '#034a43',
];

export const theme = createTheme({
  colors: { accent: teal },
  primaryColor: 'accent',
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  fontFamily: 'var(--font-geist-sans), system-ui, sans-serif',
  fontFamilyMonospace: 'var(--font-geist-mono), ui-monospace, monospace',
  headings: { fontFamily: 'var(--font-geist-sans), system-ui, sans-serif', fontWeight: '600' },
  defaultRadius: 'sm',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
});
