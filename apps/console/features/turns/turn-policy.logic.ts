import { visibleText, type TurnDetail } from '@lockstep/engine';

export interface PolicyRow {
  readonly key: string;
  readonly value: string;
  readonly from: string;
}

type Policy = NonNullable<TurnDetail['policy']>;

/** Every setting that has a provenance, with its value in the snapshot as JSON. */
export const snapshotRows = (policy: Policy): readonly PolicyRow[] =>
  policy.provenance
    .filter(({ source }) => source !== 'later')
    .map(({ key, source, name, path }) => ({
      key,
      value: policy.snapshot === null ? 'not shown' : valueText(policy.snapshot, key),
      from: provenanceText({ source, name, path }),
    }));

/** Where a value came from: its place in config, which names its owner; else the kind of source in words. */
export const provenanceText = ({
  source,
  name,
  path,
}: {
  readonly source: string;
  readonly name: string | null;
  readonly path: string | null;
}): string => {
  const whose = name === null ? '' : ` ${name}`;
  const kind = `${source.replaceAll('_', ' ')}${whose}`;
  if (path === null) return kind;
  return name !== null && path.includes(name) ? path : `${kind}, at ${path}`;
};

const valueText = (snapshot: object, key: string): string => {
  let at: unknown = snapshot;
  for (const part of key.split('.'))
    at =
      typeof at === 'object' && at !== null
        ? (at as Readonly<Record<string, unknown>>)[part]
        : undefined;
  return at === undefined ? 'none' : visibleText(JSON.stringify(at));
};
