/** `npm run soak` runs this: 200,000 counters with minute windows in the placement that `npm start` chooses. */

import { parseArgs } from 'node:util'
import { askUniqueKeys, type UniqueKeysPlan } from './unique-keys.ts'

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '200000' },
    width: { type: 'string', default: '20' },
    unit: { type: 'string', default: 'minute' },
    placement: { type: 'string' },
    seconds: { type: 'string', default: '1200' },
    settle: { type: 'string', default: '150' },
  },
})
const plan: UniqueKeysPlan = {
  keys: Number(values.keys),
  width: Number(values.width),
  unit: values.unit === 'second' || values.unit === 'hour' ? values.unit : 'minute',
  ...(values.placement === 'per-key' || values.placement === 'shard' ? { placement: values.placement } : {}),
  seconds: Number(values.seconds),
  settleSeconds: Number(values.settle),
}
const report = await askUniqueKeys(plan, ({ keys, at, mebibytes, files, megabytes }) => {
  const place = `${mebibytes.toFixed(0)} MiB, ${files} files, ${megabytes.toFixed(0)} MB on disk`
  console.log(`${keys} counters after ${at.toFixed(0)} s: ${place}`)
})
const { answers, askedSeconds, settling, isAlive, output } = report
console.log(`asked for ${askedSeconds.toFixed(0)} s, answers ${JSON.stringify(answers)}`)
console.log(`while the windows ended: ${JSON.stringify(settling)}`)
if (isAlive && settling.answered === settling.asked) process.exit(0)
console.log(`${isAlive ? 'Not everything was answered' : 'The runtime has ended'}:\n${output.slice(-6000)}`)
process.exit(1)
