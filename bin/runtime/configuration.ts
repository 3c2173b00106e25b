/** The configuration of one process of workerd: as plain data, and as the text that workerd reads. */

/** Everything that a process of workerd serves. */
export interface RuntimePlan {
  readonly workers: readonly WorkerPlan[]
  readonly sockets: readonly SocketPlan[]
  /** Servers outside of the process that Workers may call by HTTP. */
  readonly externals?: readonly { readonly name: string; readonly address: string }[]
  /** Folder of the Durable Objects' storage. */
  readonly state: string
  /** Folder of the console's files; no Worker can ask for `pages` when absent. */
  readonly pages?: string
  /** Certificates of authorities that are trusted beside the public ones, in PEM. */
  readonly authorities?: readonly string[]
}

/** A Worker with its objects and bindings. */
export interface WorkerPlan {
  readonly name: string
  /** Files, absolute or relative to the configuration; the first is the entry. */
  readonly modules: readonly { readonly name: string; readonly path: string }[]
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  readonly objects: readonly ObjectPlan[]
  readonly bindings: readonly BindingPlan[]
  /** The service behind the Cache API; without one it keeps nothing. */
  readonly cache?: string
}

/** A class of Durable Objects that the Worker itself exports. */
interface ObjectPlan {
  readonly className: string
  /** Folder of its storage below the state; the objects are found again by it. */
  readonly uniqueKey: string
  /** Keeps the objects in memory for as long as the process lives. */
  readonly staysInMemory?: boolean
}

/** A member of the Worker's `env`. */
export type BindingPlan =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly environment: string }
  | { readonly name: string; readonly service: string; readonly entrypoint?: string; readonly props?: object }
  | { readonly name: string; readonly className: string; readonly worker?: string }

/** A socket that leads to a Worker; `address` is `HOST:PORT`, `unix:PATH` or `unix-abstract:NAME`. */
export interface SocketPlan {
  readonly name: string
  readonly address: string
  readonly service: string
  /** The export of the Worker that answers; its default when absent. */
  readonly entrypoint?: string
  /** Names of headers that are removed from each request. */
  readonly dropsHeaders?: readonly string[]
}

/** Name of the service that answers with the console's files. */
export const pagesService = 'pages'

/** Writes a plan in workerd's language. The script of `pages` is expected beside the file as `pages.js`. */
export function configurationText(plan: RuntimePlan): string {
  const { workers, sockets, externals = [], state, pages, authorities = [] } = plan
  const [first] = workers
  const trusted = authorities.map(quote).join(', ')
  const services = [
    `(name = "state", disk = (path = ${quote(state)}, writable = true))`,
    `(name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true, trustedCertificates = [${trusted}])))`,
    ...(pages === undefined ? [] : pagesServices(pages, first?.compatibilityDate ?? '')),
    ...externals.map(
      ({ name, address }) => `(name = ${quote(name)}, external = (address = ${quote(address)}, http = ()))`,
    ),
    ...workers.map(workerText),
  ]
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [${block(services, 4)}],
  sockets = [${block(sockets.map(socketText), 4)}],
);
`
}

function pagesServices(folder: string, compatibilityDate: string): readonly string[] {
  return [
    `(name = "files", disk = (path = ${quote(folder)}))`,
    `(name = "${pagesService}", worker = (
      modules = [(name = "pages.js", esModule = embed "pages.js")],
      compatibilityDate = ${quote(compatibilityDate)},
      bindings = [(name = "files", service = "files")],
    ))`,
  ]
}

function socketText({ name, address, dropsHeaders = [], ...target }: SocketPlan): string {
  // An injected header without a value is removed.
  const dropped = dropsHeaders.map((header) => `(name = ${quote(header)})`).join(', ')
  return `(name = ${quote(name)}, address = ${quote(address)}, http = (injectRequestHeaders = [${dropped}]), service = ${serviceText(target)})`
}

function workerText(plan: WorkerPlan): string {
  const { name, modules, compatibilityDate, compatibilityFlags, objects, bindings, cache } = plan
  const files = modules.map((module) => `(name = ${quote(module.name)}, esModule = embed ${quote(module.path)})`)
  return `(name = ${quote(name)}, worker = (
      modules = [${block(files, 8)}],
      compatibilityDate = ${quote(compatibilityDate)},
      compatibilityFlags = [${compatibilityFlags.map(quote).join(', ')}],
      durableObjectNamespaces = [${block(objects.map(objectText), 8)}],
      durableObjectStorage = (localDisk = "state"),
      bindings = [${block(
        bindings.map((one) => `(name = ${quote(one.name)}, ${valueText(one)})`),
        8,
      )}],${cache === undefined ? '' : `\n      cacheApiOutbound = ${quote(cache)},`}
    ))`
}

function objectText({ className, uniqueKey, staysInMemory = false }: ObjectPlan): string {
  const kept = staysInMemory ? ', preventEviction = true' : ''
  return `(className = ${quote(className)}, uniqueKey = ${quote(uniqueKey)}, enableSql = true${kept})`
}

function valueText(binding: BindingPlan): string {
  if ('text' in binding) return `text = ${quote(binding.text)}`
  if ('environment' in binding) return `fromEnvironment = ${quote(binding.environment)}`
  if ('service' in binding) return `service = ${serviceText(binding)}`
  const { className, worker } = binding
  if (worker === undefined) return `durableObjectNamespace = ${quote(className)}`
  return `durableObjectNamespace = (className = ${quote(className)}, serviceName = ${quote(worker)})`
}

type ServicePlan = Omit<Extract<BindingPlan, { readonly service: string }>, 'name'>

function serviceText({ service, entrypoint, props }: ServicePlan): string {
  if (entrypoint === undefined) return quote(service)
  const given = props === undefined ? '' : `, props = (json = ${quote(JSON.stringify(props))})`
  return `(name = ${quote(service)}, entrypoint = ${quote(entrypoint)}${given})`
}

function block(lines: readonly string[], indent: number): string {
  const margin = ' '.repeat(indent)
  return lines.length === 0 ? '' : `\n${lines.map((line) => `${margin}${line},\n`).join('')}${' '.repeat(indent - 2)}`
}

/** Writes a text as Cap'n Proto does: `\xNN` for quotes, backslashes and controls, U+FFFD for half a surrogate pair. */
function quote(value: string): string {
  const text = value.replace(/\p{Surrogate}/gu, '\ufffd').replace(/["\\]|\p{Cc}/gu, escapeOctet)
  return `"${text}"`
}

/** An escape is one octet, so characters of more octets in UTF-8 stay as they are. */
function escapeOctet(character: string): string {
  const code = character.charCodeAt(0)
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : character
}
