import type { CurrentConfig } from '../../config/current-config.port.ts';
import type { RpcLimits } from './json-rpc-connection.ts';

/** What a client of the sockets may ask of the daemon's memory; a line may be as long as a body over HTTP. */
export const rpcLimits = (config: CurrentConfig): RpcLimits => ({
  line: () => config.current().config.gateway.max_body_kb * 1024,
  unread: 8 * 1024 * 1024,
  turns: 64,
  helloMs: 30_000,
});
