/** Name and version of the simulation. */

/** Fields of Status, and the origin of syslog messages. */
export const product = { tool: 'Sluice Grid', version: '1.0.0' } as const
