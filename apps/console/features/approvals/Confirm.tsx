'use client';

import { useState, type KeyboardEvent } from 'react';
import { Button, Textarea } from '@mantine/core';
import { EditArguments } from './EditArguments.tsx';
import { ScopeChoice } from './ScopeChoice.tsx';
import { decisionBody, narrowestScope, type Armed, type Request } from './approvals.logic.ts';
import { draftFields, fieldsOf, parseArguments, type FieldDraft } from './edit.logic.ts';
import { useCallArguments } from './use-call-arguments.ts';
import styles from './approvals.module.css';

const words: Readonly<Record<Armed['choice'], string>> = {
  once: 'Approve this one call',
  always: 'Approve this call, and such calls from now on',
  deny: 'Deny this call',
  edit: 'Approve this one call with other arguments; they pass the gate again',
};

/** What is about to be decided, with what belongs to the choice: guidance, scope, or other arguments. */
export const Confirm = ({
  row,
  armed,
  busy,
  onBack,
  onConfirm,
}: {
  readonly row: Request;
  readonly armed: Armed;
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly onConfirm: (body: unknown) => Promise<void>;
}) => {
  const args = useCallArguments(armed.choice === 'edit' || armed.choice === 'always' ? row : null);
  const [scope, setScope] = useState(narrowestScope);
  // Until a person changes one, the drafts are those of the call's own arguments, as soon as these are read.
  const [changed, setChanged] = useState<readonly FieldDraft[] | null>(null);
  const [guidance, setGuidance] = useState('');
  const [text, setText] = useState<string | null>(null);
  const written = text ?? (args === null ? '{}' : JSON.stringify(args, null, 2));
  const parsed = parseArguments(written);
  const drafts = changed ?? draftFields(args);
  const fields = fieldsOf(drafts);
  const problem = problemOf(armed, { parsed, fields, byFields: scope.arguments === 'fields' });
  const confirm = (): void => {
    if (problem !== null || busy) return;
    const edited = parsed.ok ? parsed.value : {};
    const wanted = fields.ok ? fields.fields : [];
    void onConfirm(decisionBody(armed, { scope: { ...scope, fields: wanted }, guidance, edited }));
  };
  return (
    <div
      className={styles['confirm']}
      role="group"
      aria-label="confirm the decision"
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'Escape') onBack();
      }}
    >
      <p style={{ margin: '0 0 0.5rem' }}>
        <strong>{row.kind === 'gate' ? gateWords(armed) : words[armed.choice]}</strong>:{' '}
        <span className="mono">{row.tool ?? row.call}</span> of {row.agent}
      </p>
      {armed.choice === 'always' ? (
        <ScopeChoice
          row={row}
          scope={scope}
          drafts={drafts}
          onScope={setScope}
          onDrafts={setChanged}
        />
      ) : null}
      {armed.choice === 'edit' ? (
        <EditArguments before={args} text={written} onChange={setText} onConfirm={confirm} />
      ) : null}
      {armed.choice === 'deny' ? (
        <Guidance value={guidance} onChange={setGuidance} onConfirm={confirm} />
      ) : null}
      {problem === null ? null : (
        <p className={styles['soon']} role="status" style={{ margin: '0 0 0.5rem' }}>
          {problem}
        </p>
      )}
      <div className="row">
        <Button
          size="compact-md"
          color={armed.choice === 'deny' ? 'red.9' : undefined}
          autoFocus={armed.choice === 'once' || armed.choice === 'always'}
          disabled={problem !== null || busy}
          onClick={confirm}
        >
          {confirmText(armed, scope.anyone)}
        </Button>
        <Button size="compact-md" variant="default" onClick={onBack}>
          Back (Esc)
        </Button>
      </div>
    </div>
  );
};

const gateWords = ({ choice }: Armed): string =>
  choice === 'deny' ? 'Stop the procedure here, before step' : 'Let the procedure go on to step';

const confirmText = ({ choice }: Armed, anyone: boolean): string => {
  if (choice === 'deny') return 'Deny (Enter)';
  if (choice === 'edit') return 'Approve as edited (Ctrl Enter)';
  return choice === 'always' && anyone ? 'Approve for anyone (Enter)' : 'Approve (Enter)';
};

const problemOf = (
  { choice }: Armed,
  given: {
    readonly parsed: ReturnType<typeof parseArguments>;
    readonly fields: ReturnType<typeof fieldsOf>;
    readonly byFields: boolean;
  },
): string | null => {
  if (choice === 'edit') return given.parsed.ok ? null : given.parsed.why;
  if (choice === 'always' && given.byFields) return given.fields.ok ? null : given.fields.why;
  return null;
};

const Guidance = ({
  value,
  onChange,
  onConfirm,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onConfirm: () => void;
}) => (
  <Textarea
    label="Guidance for the agent (optional; it becomes the call's result)"
    autoFocus
    autosize
    minRows={2}
    maxRows={8}
    maxLength={20_000}
    value={value}
    onChange={(event) => {
      onChange(event.currentTarget.value);
    }}
    onKeyDown={(event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
      event.preventDefault();
      onConfirm();
    }}
    mb="sm"
  />
);
