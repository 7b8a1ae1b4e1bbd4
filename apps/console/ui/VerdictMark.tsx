import type { StepTone, VerdictSeen } from '@lockstep/engine';
import { Tone } from './Tone.tsx';

const tones: Readonly<Record<VerdictSeen['verdict'], StepTone>> = {
  allow: 'good',
  ask: 'waiting',
  refuse: 'refused',
};

/** A verdict of the gate as colour, glyph and word. */
export const VerdictMark = ({ verdict }: { readonly verdict: VerdictSeen['verdict'] }) => (
  <Tone tone={tones[verdict]}>{verdict}</Tone>
);
