/** The error that ends the reading of a scenario's text. */

import type { YamlSyntax } from '../../base/yaml/syntax.ts'

/** A node of the text that is wrong; `readDocument` catches it and names its line. */
export class WrongNode extends Error {
  readonly node: Parameters<YamlSyntax['lineOf']>[0]

  constructor(node: WrongNode['node'], message: string) {
    super(message)
    this.node = node
  }
}
