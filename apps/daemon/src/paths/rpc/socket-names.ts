/** Names of the sockets in the data folder. Which one a client speaks to says what it speaks: it cannot claim another trigger. */
export const socketNames = { jsonRpc: 'lockstep.sock', acp: 'acp.sock' } as const;
