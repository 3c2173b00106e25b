/** Types of imports that are not TypeScript. */

declare module '*.css'
