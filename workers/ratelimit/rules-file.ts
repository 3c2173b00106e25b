/** Rules that a Worker brings as a file: each deployment with another text makes them the rules. */

import { RuleBookObject } from '#objects/ratelimit/rule-book.ts'
import { assertShipped, shippedFiles } from '#ratelimit/config/shipped.ts'

/** Key of the text that was taken last. */
const takenKey = 'rules-file'

/**
 * Makes the class of rules that takes its rules from a text, to be exported as `RuleBookObject`.
 *
 * A text that differs from the last one replaces all rules; with the same text, changes by the operator plane stay. A
 * text with a mistake is an error when the Worker starts, so that it cannot be deployed.
 *
 * @param text - YAML documents, one for each domain, separated by `---`.
 * @throws RatelimitError invalid_settings when the text has a mistake.
 */
export function withRules(text: string): typeof RuleBookObject {
  assertShipped(text, { mergeDomains: false })
  return class extends RuleBookObject {
    constructor(...given: ConstructorParameters<typeof RuleBookObject>) {
      super(...given)
      this.ctx.blockConcurrencyWhile(async () => {
        const { kv } = this.ctx.storage
        if (kv.get(takenKey) === text) return
        const { isAccepted } = await this.putAll(shippedFiles(text), 'deployment')
        // What runs stays when a bound refuses the text; the refusal is in the status of the configuration.
        if (isAccepted) kv.put(takenKey, text)
      })
    }
  }
}
