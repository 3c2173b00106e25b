import { meterRate, monthOf } from './cost/rates.ts'
const base = { unit: 'minute', limit: 1000, vars: {COUNTER_PLACEMENT:'per-key'}, count: 120, before: 60 } as const
for (const plan of [
  { ...base, name: 'new keys 1/s', everyMs: 1000, keys: 0 },
  { ...base, name: '5 warm 1/s', everyMs: 1000, keys: 5, count: 300 },
  { ...base, name: '1 warm 1/s', everyMs: 1000, keys: 1, count: 300 },
]) {
  const r = await meterRate(plan, 0.56)
  console.log(plan.name, JSON.stringify(r.usage), 'STATS month', monthOf(r, 'STATS'))
  for (const [k, v] of Object.entries(r.classes)) console.log('  ', k, JSON.stringify(Object.fromEntries(Object.entries(v).map(([a,b]) => [a, Math.round(b/plan.count*1000)/1000]))))
}
