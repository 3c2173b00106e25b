/** The rate limit service as another Worker mounts it: its objects, its handler, and rules as a file. */

export { withRules } from './ratelimit/rules-file.ts'
export * from './ratelimit.ts'
export { default } from './ratelimit.ts'
