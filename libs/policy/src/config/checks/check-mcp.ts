import { matchesPattern } from '../../patterns.ts';
import type { McpServerConfig } from '../mcp.schema.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { atKey, atValue } from './check-context.ts';
import { misspelt } from './tool-pattern.ts';
import type { CheckContext, ConfigCheck } from './check-context.ts';

/** What config says of a server must be able to act, and must hold no secret in plain text. */
export const checkMcp: ConfigCheck = (context) =>
  Object.entries(context.config.mcp.servers).flatMap(([alias, server]) => {
    const path = ['mcp', 'servers', alias];
    return [
      ...checkExpose(context, path, server),
      ...checkExposed(context, path, server),
      ...checkProcess(context, path, server),
      ...checkPlainSecrets(context, path, server),
    ];
  });

const checkExpose = (
  context: CheckContext,
  path: ConfigPath,
  { expose }: McpServerConfig,
): ConfigProblem[] =>
  (expose === '*' ? [] : expose).flatMap((pattern, index) => {
    const at = [...path, 'expose', index];
    const miss = misspelt(pattern);
    if (miss !== null) return [atValue(context, miss.code, at, miss.message)];
    if (!/^(builtin|mcp|skill):/.test(pattern)) return [];
    const own = pattern.slice(pattern.search(/[:/][^:/]*$/) + 1);
    const message = `\`${pattern}\` matches nothing here, write the server's own name of the tool: \`${own}\``;
    return [atValue(context, 'matches_nothing', at, message)];
  });

const checkExposed = (
  context: CheckContext,
  path: ConfigPath,
  server: McpServerConfig,
): ConfigProblem[] => {
  const { expose } = server;
  if (expose === '*') return [];
  return Object.keys(server.tools).flatMap((tool) => {
    if (expose.some((pattern) => matchesPattern(pattern, tool))) return [];
    const message = `\`${tool}\` is outside \`expose\`, so nothing can call it: expose it or leave this out`;
    return [atKey(context, 'cannot_act', [...path, 'tools', tool], message)];
  });
};

const checkProcess = (
  context: CheckContext,
  path: ConfigPath,
  server: McpServerConfig,
): ConfigProblem[] => {
  if (server.transport !== 'stdio' || server.run !== 'trusted' || !server.network) return [];
  const message = 'a trusted server has the network anyway, leave `network` out';
  return [atKey(context, 'cannot_act', [...path, 'network'], message)];
};

/** Headers that carry a secret by their very name. */
const secretHeaders = /^(authorization|proxy-authorization|cookie|x-api-key|api-key)$/i;

const checkPlainSecrets = (
  context: CheckContext,
  path: ConfigPath,
  server: McpServerConfig,
): ConfigProblem[] => {
  if (server.transport !== 'http') return [];
  return Object.entries(server.headers).flatMap(([name, value]) => {
    if (typeof value !== 'string' || !secretHeaders.test(name)) return [];
    const message = `\`${name}\` carries a secret, write \`{ env = "NAME" }\` or \`{ file = "path" }\``;
    return [atValue(context, 'invalid_value', [...path, 'headers', name], message)];
  });
};
