/** What the bundler makes of files that are not TypeScript. */

declare module '*.css'
