/** The version of the product: that of package.json, which `npm version` copies here (`test/base/version.test.ts`). */

/** Semantic version, such as `1.2.3`. */
export const version = '0.1.0'
