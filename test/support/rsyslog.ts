/** A real rsyslogd that writes what it understood of each message as one line of JSON. */

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, freePort, type RunningProgram, startProgram, waitForPort } from './process.ts'

const program = findProgram('rsyslogd')
const openssl = findProgram('openssl')
const driver = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib', '/usr/lib64']
  .map((folder) => join(folder, 'rsyslog', 'lmnsd_gtls.so'))
  .find(existsSync)

/** Reason for which it cannot start here; null when it can. */
export const rsyslogMissing =
  program === null || driver === undefined || openssl === null ? 'needs rsyslog, rsyslog-gnutls and openssl' : null

/** One message as rsyslogd understood it. */
export interface Received {
  readonly facility: string
  readonly severity: string
  readonly timestamp: string
  readonly hostname: string
  readonly appName: string
  readonly procId: string
  readonly msgId: string
  readonly data: string
  readonly message: string
}

/** A collector on two ports of loopback. */
export interface Rsyslog {
  readonly tcpPort: number
  /** Its certificate is for `localhost`. */
  readonly tlsPort: number
  /** The certificate, its own authority. */
  readonly certificate: string
  /** Everything that it received since it was first started, in order. */
  received(): readonly Received[]
  start(): Promise<void>
  stop(): Promise<void>
}

const properties = {
  facility: 'syslogfacility-text',
  severity: 'syslogseverity-text',
  timestamp: 'timestamp" dateFormat="rfc3339',
  hostname: 'hostname',
  appName: 'app-name',
  procId: 'procid',
  msgId: 'msgid',
  data: 'structured-data',
  message: 'msg',
}

/** Prepares a collector in a folder; `start()` starts it, and again after `stop()`, on the same ports. */
export async function prepareRsyslog(folder: string): Promise<Rsyslog> {
  const [tcpPort, tlsPort] = [await freePort(), await freePort()]
  const certificate = makeCertificate(folder)
  const output = join(folder, 'received.jsonl')
  writeFileSync(join(folder, 'rsyslog.conf'), configuration(folder, output, tcpPort, tlsPort))
  let running: RunningProgram | undefined
  return {
    tcpPort,
    tlsPort,
    certificate,
    received() {
      if (!existsSync(output)) return []
      // The last piece is a line that is not written to its end.
      const lines = readFileSync(output, 'utf8').split('\n').slice(0, -1)
      return lines.map((line) => JSON.parse(line) as Received)
    },
    async start() {
      const files = ['-f', join(folder, 'rsyslog.conf'), '-i', join(folder, 'rsyslog.pid')]
      running = startProgram(program ?? 'rsyslogd', ['-n', ...files])
      await waitForPort(tcpPort, running)
      await waitForPort(tlsPort, running)
    },
    async stop() {
      await running?.stop()
    },
  }
}

function makeCertificate(folder: string): string {
  const certificate = join(folder, 'collector.crt')
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', join(folder, 'collector.key'), '-out', certificate]
  execFileSync(
    openssl ?? 'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject],
    { stdio: 'ignore' },
  )
  return certificate
}

function configuration(folder: string, output: string, tcpPort: number, tlsPort: number): string {
  const file = (name: string) => JSON.stringify(join(folder, name))
  const fields = Object.entries(properties).map(
    ([name, property]) => `  property(outname="${name}" name="${property}" format="jsonf")`,
  )
  return `global(
  workDirectory=${JSON.stringify(folder)}
  DefaultNetstreamDriverCAFile=${file('collector.crt')}
  DefaultNetstreamDriverCertFile=${file('collector.crt')}
  DefaultNetstreamDriverKeyFile=${file('collector.key')})
module(load="imtcp")
template(name="understood" type="list" option.jsonf="on") {
${fields.join('\n')}
}
ruleset(name="keep") {
  action(type="omfile" file=${JSON.stringify(output)} template="understood")
}
input(type="imtcp" address="127.0.0.1" port="${tcpPort}" ruleset="keep")
input(type="imtcp" address="127.0.0.1" port="${tlsPort}" ruleset="keep"
  StreamDriver.Name="gtls" StreamDriver.Mode="1" StreamDriver.AuthMode="anon")
`
}
