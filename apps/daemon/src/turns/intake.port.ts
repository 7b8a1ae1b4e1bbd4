/** Why no turn is taken in now. */
export interface Closed {
  readonly code: 'disk_full' | 'read_only';
  readonly message: string;
}

/** Whether the daemon begins a `new` turn, a turn that is `part` of something recorded already, or the next `step` of a running one.
 * Null = it does. */
export type Intake = (of: 'new' | 'part' | 'step') => Closed | null;

export const INTAKE = Symbol('INTAKE');
