import type { Effect } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import { proposedContent } from './proposed-content.ts';
import { unifiedDiff } from './unified-diff.ts';
import { visibleText } from './visible-text.ts';

/** What a person is asked about. Arguments and old content are masked before they come here. */
export interface ApprovalViewInput {
  readonly agent: string;
  readonly principal: string;
  readonly session: string;
  /** Canonical id. */
  readonly tool: string;
  readonly effects: readonly Effect[];
  readonly args: unknown;
  readonly operands: readonly Operand[];
  readonly why: string;
  /** Old content of the file that is written or edited; null = there is none, or it cannot be shown. */
  readonly before: string | null;
}

export interface ApprovalView {
  readonly text: string;
  /** Something was too long to be shown whole; the text says where. */
  readonly cut: boolean;
  /** Placeholders of masked secrets in the text. */
  readonly masked: number;
}

/** Longest shown form of the arguments and of the diff, in characters: together far below what one event may hold. */
const partLimit = 100_000;

/** The text on which a person decides: who asks, the tool, its effects, operands as they will run, arguments and, for written
 * files, a diff. Hidden characters are made visible, cuts and masks are marked. */
export const approvalView = (input: ApprovalViewInput): ApprovalView => {
  const args = shorten(visibleText(pretty(input.args)));
  const diff = shorten(visibleText(diffOf(input)));
  const head = [
    `tool: ${input.tool}`,
    `agent: ${input.agent}`,
    `for: ${input.principal}, in ${input.session}`,
    `effects: ${input.effects.length === 0 ? 'none' : input.effects.join(', ')}`,
    `why asked: ${input.why}`,
    ...operandLines(input.operands),
  ];
  const shown = [...head.map(oneLine), 'arguments:', args.text];
  if (diff.text !== '') shown.push('change:', diff.text);
  const masked = [...shown.join('\n').matchAll(/«(?:secret|sealed):[^»\n]*»/g)].length;
  if (masked > 0) shown.push(`masked: ${masked} secret values stand as placeholders`);
  return { text: shown.join('\n'), cut: args.cut || diff.cut, masked };
};

/** Nothing in a single value may start a line that looks like one of ours. */
const oneLine = (text: string): string => visibleText(text).replaceAll('\n', '⟨U+000A⟩');

const pretty = (args: unknown): string => {
  try {
    return args === undefined ? 'none' : JSON.stringify(args, null, 2);
  } catch {
    return 'the arguments cannot be shown';
  }
};

const shorten = (text: string): { readonly text: string; readonly cut: boolean } => {
  if (text.length <= partLimit) return { text, cut: false };
  const kept = text.slice(0, partLimit).replace(/[\uD800-\uDBFF]$/, '');
  return {
    text: `${kept}\n[cut: ${text.length - kept.length} characters are not shown]`,
    cut: true,
  };
};

const operandLines = (operands: readonly Operand[]): readonly string[] =>
  operands.length === 0 ? ['operands: none'] : ['operands:', ...operands.map(operandLine)];

const operandLine = (operand: Operand): string => {
  switch (operand.kind) {
    case 'path':
      return pathLine(operand);
    case 'url': {
      const addresses = operand.addresses.map((a) => a.address).join(', ');
      const to = `${operand.scheme}://${operand.host}:${operand.port}`;
      return `  ${operand.method} ${JSON.stringify(operand.given)} at ${to} (${addresses})`;
    }
    case 'command':
      return commandLine(operand);
    case 'memory':
      return `  ${operand.access} memory of ${operand.agents.join(', ')}`;
    case 'agent':
      return `  ${operand.how} ${JSON.stringify(operand.given)}`;
    case 'sop':
      return `  procedure ${JSON.stringify(operand.given)}`;
    case 'job':
      return `  job ${JSON.stringify(operand.given)}`;
    case 'skill':
      return `  skill ${JSON.stringify(operand.given)}`;
    case 'undeclared':
      return '  not declared: the tool may touch anything that it can reach';
  }
};

const pathLine = (operand: Extract<Operand, { kind: 'path' }>): string => {
  const real = operand.real ?? 'unknown';
  const linked = real === operand.lexical ? '' : `, leads to ${JSON.stringify(real)}`;
  const state = operand.exists ? 'exists' : 'does not exist';
  return `  ${operand.access} ${JSON.stringify(operand.lexical)}${linked}, ${state}`;
};

const commandLine = (operand: Extract<Operand, { kind: 'command' }>): string => {
  if (!operand.understood) return `  runs a line that is not understood: ${operand.why ?? ''}`;
  const commands = operand.commands.map((one) => JSON.stringify(one.argv)).join(', then ');
  return `  runs ${commands}${operand.sandboxed ? ' in a sandbox' : ''}`;
};

const diffOf = (input: ApprovalViewInput): string => {
  const written = input.operands.find((o) => o.kind === 'path' && o.access !== 'read');
  if (written?.kind !== 'path') return '';
  const after = proposedContent(input.tool, input.args, input.before);
  if (after === null) return '';
  if (input.before === null && written.exists) return 'the content that is replaced is not shown';
  const diff = unifiedDiff(input.before ?? '', after);
  return diff === '' ? 'the content stays the same' : diff;
};
