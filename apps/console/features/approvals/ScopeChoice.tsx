'use client';

import { Button, Checkbox, Radio, Select, TextInput } from '@mantine/core';
import type { GrantScope, Request } from './approvals.logic.ts';
import type { FieldDraft } from './edit.logic.ts';

const argumentKinds = ['exact', 'fields', 'any'] as const;
const isArgumentKind = (text: string): text is GrantScope['arguments'] =>
  (argumentKinds as readonly string[]).includes(text);

/** What a standing approval covers. It begins at the narrowest; each step further is chosen aloud. */
export const ScopeChoice = ({
  row,
  scope,
  drafts,
  onScope,
  onDrafts,
}: {
  readonly row: Request;
  readonly scope: GrantScope;
  readonly drafts: readonly FieldDraft[];
  readonly onScope: (scope: GrantScope) => void;
  readonly onDrafts: (drafts: readonly FieldDraft[]) => void;
}) => (
  <div style={{ marginBottom: '0.625rem' }}>
    <div className="row" style={{ gap: '1rem 2rem', alignItems: 'flex-start' }}>
      <Radio.Group
        label="For"
        value={scope.kind}
        onChange={(kind) => {
          onScope({ ...scope, kind: kind === 'agent' ? 'agent' : 'session' });
        }}
      >
        <Radio value="session" label="this session" mt={4} />
        <Radio value="agent" label={`all of ${row.agent}`} mt={4} />
      </Radio.Group>
      <Radio.Group
        label="With"
        value={scope.arguments}
        onChange={(kind) => {
          if (isArgumentKind(kind)) onScope({ ...scope, arguments: kind });
        }}
      >
        <Radio value="exact" label="exactly these arguments" mt={4} />
        <Radio value="fields" label="some arguments held …" mt={4} />
        <Radio value="any" label="any arguments" mt={4} />
      </Radio.Group>
      <Checkbox
        mt="1.5rem"
        label={`for anyone, not only ${row.person ?? row.principal}`}
        checked={scope.anyone}
        onChange={(event) => {
          onScope({ ...scope, anyone: event.currentTarget.checked });
        }}
      />
    </div>
    {scope.arguments === 'fields' ? <Fields drafts={drafts} onChange={onDrafts} /> : null}
  </div>
);

/** Arguments that must be equal to a value, or a path below a folder; the others are free. */
const Fields = ({
  drafts,
  onChange,
}: {
  readonly drafts: readonly FieldDraft[];
  readonly onChange: (drafts: readonly FieldDraft[]) => void;
}) => {
  const change = (index: number, part: Partial<FieldDraft>): void => {
    onChange(drafts.map((draft, at) => (at === index ? { ...draft, ...part } : draft)));
  };
  return (
    <fieldset style={{ border: 0, margin: '0.5rem 0 0', padding: 0 }}>
      <legend className="dim">Held arguments; all others may be anything</legend>
      {drafts.map((draft, index) => (
        <div key={index} className="row" style={{ marginTop: '0.25rem' }}>
          <Checkbox
            aria-label={`hold ${draft.at}`}
            checked={draft.wanted}
            onChange={(event) => {
              change(index, { wanted: event.currentTarget.checked });
            }}
          />
          <TextInput
            size="xs"
            w="9rem"
            aria-label="which argument"
            value={draft.at}
            onChange={(event) => {
              change(index, { at: event.currentTarget.value });
            }}
          />
          <Select
            size="xs"
            w="8rem"
            aria-label={`how ${draft.at} is held`}
            allowDeselect={false}
            data={[
              { value: 'equals', label: 'is equal to' },
              { value: 'below', label: 'lies below' },
            ]}
            value={draft.how}
            onChange={(how) => {
              change(index, how === 'below' ? { how, value: '' } : { how: 'equals' });
            }}
          />
          <TextInput
            size="xs"
            style={{ flex: '1 1 12rem' }}
            aria-label={draft.how === 'below' ? `folder for ${draft.at}` : `value of ${draft.at}`}
            placeholder={draft.how === 'below' ? 'a folder' : 'JSON'}
            value={draft.value}
            onChange={(event) => {
              change(index, { value: event.currentTarget.value, wanted: true });
            }}
          />
        </div>
      ))}
      <Button
        mt="xs"
        size="compact-xs"
        variant="default"
        onClick={() => {
          onChange([...drafts, { at: '/', how: 'equals', value: '', wanted: true }]);
        }}
      >
        Another argument
      </Button>
    </fieldset>
  );
};
