import { expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { deriveAgentWallet, deriveRuleId, hashRuleTerms, type RuleTerms } from '#streamnet/codec/agent-rule.ts'
import { parseAddress } from '#streamnet/ids.ts'

const agent = parseAddress('0x15bd0a938ab31104803acc63a1c96b8d123a9507')
const owner = parseAddress('0xeb1fe6b3edb0857927ca8a4f7a3aa8120345835b')

/** The terms of a step of the recorded scenario, whose rule and wallet later steps show. */
const terms: RuleTerms = {
  feeMode: 'flat',
  feeBps: 1081,
  feeFlat: 3n * 10n ** 18n,
  allowed: [
    ['main', 'whoami'],
    ['main', 'maa_bridge_out'],
    ['main', 'Create_Streams'],
    ['MAIN', 'insert_records'],
    ['', 'create_streams'],
  ].map(([namespace = '', action = '']) => ({ namespace, action, bodyHash: null })),
}
const salt = decodeHex('8cc02839625e4fe937f1c6633310ca99cc9c8607c0f396487d5df17e2dd35027')

test('rule and wallet have the ids that a real node gave, in any order of the actions', () => {
  const hash = hashRuleTerms(terms)
  expect(encodeHex(hash)).toBe('047bc040b8369c26d1a916cc5d356ed142624faac6cd060ae6378432471e63f9')
  expect(hashRuleTerms({ ...terms, allowed: terms.allowed.toReversed() })).toEqual(hash)
  const ruleId = deriveRuleId(agent, hash, salt)
  expect(encodeHex(ruleId)).toBe('2400e3a01266b26cce356f9b15a38330f87242f7bd26575bcb86c98e5ec98177')
  expect(deriveAgentWallet(owner, agent, ruleId)).toBe('0xf9bd65da28789a2045c5e333d384d1e914ef883e')
})

test('hashRuleTerms() sorts by UTF-8, which orders differently from UTF-16', () => {
  const allowed = (actions: readonly string[]) =>
    actions.map((action) => ({ namespace: 'main', action, bodyHash: null }))
  const [one, other] = [allowed(['\u{ff5e}', '\u{1f600}']), allowed(['\u{1f600}', '\u{ff5e}'])]
  expect(hashRuleTerms({ ...terms, allowed: one })).toEqual(hashRuleTerms({ ...terms, allowed: other }))
})
