import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { defaultConfiguration } from '#grid/configuration.ts'
import { createWorld, type StepOutput, step } from '#grid/engine.ts'
import { encodeRecords } from '#grid/records/records-text.ts'
import { worldFormat } from '#grid/step/resume.ts'
import { enable } from '../support/grid-session.ts'

const world = createWorld({ ...defaultConfiguration, start_time: 1_764_000_000 })
const outputs: StepOutput[] = []
const types = ['NOISE', 'DELAY', 'DROP', 'DNP3_CONTROL', 'GOOSE_TRIP_SPOOF', 'MODBUS_CMD_INJECT']
for (const type of types) enable(world, type)
for (let count = 0; count < 150; count++) outputs.push(step(world))

/** Objects whose keys are names of devices, links, streams or fields, and so not part of the form. */
const tables = new Set([
  ...['random', 'connections', 'identifications', 'addresses', 'clocks', 'samples', 'goose', 'configured', 'seen'],
  ...['memory', 'values', 'evidence', 'params', 'configuration', 'original_val', 'modified_val', 'impact'],
])

/** Every path of a value with the kind of what lies there; positions and names of devices are left out. */
function formOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => formOf(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return value === null ? [] : [`${path}: ${typeof value}`]
  const isTable = tables.has(path.split('.').at(-1) ?? '')
  return Object.entries(value).flatMap(([key, item]) =>
    formOf(item, `${path}.${isTable || !/^[a-z]\w*$/i.test(key) ? '*' : key}`),
  )
}

function describeForm(json: string): { readonly form: string; readonly hash: string } {
  const free = /\.(?:evidence|params|configuration|original_val|modified_val|memory|values|impact)\./
  const paths = [...new Set(formOf(JSON.parse(json)))].filter((path) => !free.test(path)).sort()
  const form = paths.join('\n')
  return { form, hash: createHash('sha256').update(form).digest('hex').slice(0, 8) }
}

describe('forms of what is kept in rows', () => {
  it('a world: every form has a number, which says whether the present engine reads it', () => {
    const { form, hash } = describeForm(JSON.stringify(world))
    const advice =
      'What a world holds has changed. Raise worldFormat in src/grid/step/resume.ts and write the new number and hash here; look whether resumeWorld() should take more over'
    expect([worldFormat, hash], `${advice}\n${form}`).toEqual([8, '6710c7fb'])
  })

  it('a chunk of records: what a build wrote is read by every later one', () => {
    const records = {
      incidents: outputs.flatMap(({ incidents }) => incidents),
      packets: outputs.flatMap(({ packets }) => packets),
      frames: outputs.flatMap(({ frames }) => frames),
    }
    const { form, hash } = describeForm(encodeRecords(records))
    const advice =
      'The text of records has changed: decodeRecords() must read this form and every earlier one. Add a fixture of the last release to test/vectors/state, and write the new hash here'
    expect(hash, `${advice}\n${form}`).toEqual('ac72d6a8')
  })
})
