/** Name and version that the simulation shows to others. */

/** What Status carries, and what messages of this service name as their origin. */
export const product = { tool: 'Sluice Grid', version: '1.0.0' } as const
