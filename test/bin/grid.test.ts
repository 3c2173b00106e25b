/** `sluice grid`: what a command line sends. */

import { describe, expect, it } from 'vitest'
import { parseGridCall } from '../../bin/grid/call.ts'

const call = (line: string, environment = {}) => {
  const { url, init, output } = parseGridCall(line.split(' '), environment)
  return { method: init.method, url: `${url}`, body: init.body, headers: new Headers(init.headers), output }
}

describe('parseGridCall()', () => {
  it('finds a route by its words and sends options as its query or as its body', () => {
    expect(call('incidents --limit 5 --proto dnp3')).toMatchObject({
      method: 'GET',
      url: 'http://127.0.0.1:8080/api/v1/incidents?limit=5&proto=dnp3',
    })
    expect(call('attack enable --type NOISE --params {"sigma":0.1}')).toMatchObject({
      method: 'POST',
      body: '{"type":"NOISE","params":{"sigma":0.1}}',
    })
  })

  it('reads a path without options and writes it with options, where it can do both', () => {
    expect(call('sim config').method).toBe('GET')
    expect(call('sim config --seed 7')).toMatchObject({ method: 'POST', body: '{"seed":7}' })
    expect(call('simulations --name drill')).toMatchObject({ method: 'POST', body: '{"name":"drill"}' })
    expect(call('simulations drill').method).toBe('DELETE')
  })

  it('goes to a named simulation of another service with the token of the environment', () => {
    const sent = call('status --simulation drill --url https://grid.example --output s.json', {
      GRID_TOKEN: 't',
    })
    expect(sent).toMatchObject({
      url: 'https://grid.example/simulations/drill/api/v1/status',
      output: 's.json',
    })
    expect(sent.headers.get('authorization')).toBe('Bearer t')
  })

  it.each([
    ['attck enable', 'there is no route "attck enable", perhaps attack enable'],
    ['incidents --limt 5', 'there is no option --limt, perhaps --limit'],
    ['status --limit', '--limit has no value'],
    ['status --url nowhere', '--url is "nowhere", expected such as http://127.0.0.1:8080'],
  ])('says what is wrong with "%s"', (line, message) => {
    expect(() => call(line)).toThrow(message)
  })
})
