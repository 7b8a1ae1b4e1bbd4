'use client';

import type { ReactNode } from 'react';
import { CloseButton, Drawer, Modal } from '@mantine/core';

interface SheetProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
}

/** A drawer on the right. Its head is no landmark: the page has one banner. */
export const Sheet = ({ opened, onClose, title, children }: SheetProps) => (
  <Drawer.Root
    opened={opened}
    onClose={onClose}
    position="right"
    size="min(46rem, 100%)"
    transitionProps={{ duration: 120 }}
  >
    <Drawer.Overlay backgroundOpacity={0.2} />
    <Drawer.Content aria-label={title}>
      <Drawer.Body>
        <Head title={title} onClose={onClose} />
        {children}
      </Drawer.Body>
    </Drawer.Content>
  </Drawer.Root>
);

/** A small window in the middle. */
export const Dialog = ({ opened, onClose, title, children }: SheetProps) => (
  <Modal.Root
    opened={opened}
    onClose={onClose}
    size="lg"
    yOffset="8vh"
    transitionProps={{ duration: 80 }}
  >
    <Modal.Overlay backgroundOpacity={0.35} />
    <Modal.Content aria-label={title}>
      <Modal.Body>
        <Head title={title} onClose={onClose} />
        {children}
      </Modal.Body>
    </Modal.Content>
  </Modal.Root>
);

const Head = ({ title, onClose }: { readonly title: string; readonly onClose: () => void }) => (
  <div className="row" style={{ padding: '0.75rem 0 0.5rem' }}>
    <h2 className="mono" style={{ margin: 0, fontWeight: 600 }}>
      {title}
    </h2>
    <CloseButton className="push" aria-label="close" onClick={onClose} />
  </div>
);
