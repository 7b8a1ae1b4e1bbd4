import '@mantine/core/styles.css';
import '../ui/instrument.css';
import { Suspense, type ReactNode } from 'react';
import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import { GeistMono } from 'geist/font/mono';
import { GeistSans } from 'geist/font/sans';
import { ColorSchemeScript, mantineHtmlProps } from '@mantine/core';
import { Shell } from '../features/shell/Shell.tsx';
import { Look } from '../ui/Look.tsx';

export const metadata: Metadata = {
  title: { default: 'Lockstep', template: '%s · Lockstep' },
  description: 'What the agents may do, what they did, and whether both are the same',
};
export const viewport: Viewport = { width: 'device-width', initialScale: 1 };

const Layout = async ({ children }: { readonly children: ReactNode }) => {
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <html lang="en" {...mantineHtmlProps} className={`${GeistSans.variable} ${GeistMono.variable}`}>
      <head>
        <ColorSchemeScript defaultColorScheme="auto" nonce={nonce} />
      </head>
      <body>
        <Look>
          <Suspense>
            <Shell>{children}</Shell>
          </Suspense>
        </Look>
      </body>
    </html>
  );
};
export default Layout;
