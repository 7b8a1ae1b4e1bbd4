'use client';

import type { ReactNode } from 'react';
import { MantineProvider } from '@mantine/core';
import { colorVariables } from './color-variables.ts';
import { theme } from './theme.ts';

/** Colours, type and sizes for all below. */
export const Look = ({ children }: { readonly children: ReactNode }) => (
  <MantineProvider theme={theme} cssVariablesResolver={colorVariables} defaultColorScheme="auto">
    {children}
  </MantineProvider>
);
