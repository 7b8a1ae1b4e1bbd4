import '@mantine/core/styles.css';
import '../ui/instrument.css';
import { Suspense, type ReactNode } from 'react';
import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import { GeistMono } from 'geist/font/mono';
import { GeistSans } from 'geist/font/sans';
import { ColorSchemeScript, MantineProvider, mantineHtmlProps } from '@mantine/core';
import { Shell } from '../features/shell/Shell.tsx';
import { theme } from '../ui/theme.ts';
import { colorVariables } from '../ui/color-variables.ts';

export const metadata: Metadata = {
  title: { default: 'Lockstep', template: '%s · Lockstep' },
  description: 'What the agents may do, what they did, and whether both are the same',
};
export const viewport: Viewport = { width: 'device-width', initialScale: 1 };

const Layout = async ({ children }: { readonly children: ReactNode }) => {
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <html
      lang="en"
      {...mantineHtmlProps}
      className={`${GeistSans.variable} ${GeistMono.variable}`}
    >
      <head>
        <ColorSchemeScript defaultColorScheme="auto" nonce={nonce} />
      </head>
      <body>
        <MantineProvider theme={theme} cssVariablesResolver={colorVariables} defaultColorScheme="auto">
          <Suspense>
            <Shell>{children}</Shell>
          </Suspense>
        </MantineProvider>
      </body>
    </html>
  );
};
export default Layout;
