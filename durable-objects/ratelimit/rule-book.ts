/** RuleBookObject: the configuration files through their revisions; the newest one always compiles. */

import { DurableObject } from 'cloudflare:workers'
import { createMutex } from '#base/mutex.ts'
import { doAtOnce, doInSlices, type Sliced } from '#base/slices.ts'
import { type ConfigFile, type ParsedFile, parseFilesInSlices } from '#ratelimit/config/compile.ts'
import { type BoundMistakes, boundMistakes } from '#ratelimit/config/mistake-bounds.ts'
import { shippedFiles } from '#ratelimit/config/shipped.ts'
import type { Changes, Snapshot, Status } from '#ratelimit/contract/configuration.ts'
import type { ListingSet } from '#ratelimit/contract/lists.ts'
import type { Listing } from '#ratelimit/lists/lists.ts'
import { listBounds, type SentListing } from '#ratelimit/lists/read-listings.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { nowSeconds } from '../base/now.ts'
import { pause } from '../base/pause.ts'
import type { RatelimitEnv } from './env.ts'
import { compareRules, type Judged, judgeFiles } from './rule-book/judge.ts'
import { listingTable, toListingSet } from './storage/listings.ts'
import { ruleBookTables } from './storage/rule-book.ts'

/** State that a caller lacks; what it has already is left out. */
export interface Newer<F> {
  readonly revision: number
  readonly files?: readonly F[]
  readonly lists?: { readonly version: number; readonly listings: readonly Listing[] }
}

/** Result of a change: the revision that now runs, or the mistakes that kept it from running. */
export type Outcome =
  | { readonly isAccepted: true; readonly revision: number; readonly changes: Changes }
  | ({ readonly isAccepted: false } & BoundMistakes)

/** Revisions that can be fetched and rolled back to. */
const revisionsKept = 50

/**
 * Keeps the whole configuration, versioned. A change is compiled as a set before it is kept: one bad file refuses
 * all of it, and the running revision stays. Reading and compiling go in slices, because a configuration has up to
 * 24 MB and other objects share the thread; so changes take turns.
 */
export class RuleBookObject extends DurableObject<RatelimitEnv> {
  readonly #tables = ruleBookTables(this.ctx.storage)
  readonly #listings = listingTable(this.ctx.storage)
  /** The newest revision, parsed; made when it is first asked for. */
  #parsed: { readonly revision: number; readonly files: readonly ParsedFile[] } | undefined
  readonly #mutex = createMutex()

  /** A book that has never had rules begins with those of the deployment, so that the first request is decided. */
  constructor(ctx: DurableObjectState, env: RatelimitEnv) {
    super(ctx, env)
    if (this.#tables.newest() > 0) return
    const files = shippedFiles(env.RATELIMIT_RULES ?? '')
    if (files.length > 0) doAtOnce(this.#change(files, 'deployment'))
  }

  /** The newest configuration and lists, or null when the caller has both already. */
  async newerThan(revision: number, listVersion?: number): Promise<Newer<ConfigFile> | null> {
    const newest = this.#tables.newest()
    return this.#newer(newest === revision ? { revision } : this.#newest(), revision, listVersion)
  }

  /**
   * The same, with the YAML parsed: the files are `readonly ParsedFile[]`, a tree that the types of the platform's calls
   * cannot express. `newerThan` answers where they are more than the platform's 32 MiB.
   */
  async readNewerThan(revision: number, listVersion?: number): Promise<Newer<object> | null> {
    const newest = this.#tables.newest()
    if (newest === revision) return this.#newer({ revision }, revision, listVersion)
    const read = this.#parsed?.revision === newest ? this.#parsed : await this.#inTurn(() => this.#readNewest())
    return this.#newer(read, revision, listVersion)
  }

  /** The files of a kept revision; null when it is not kept. */
  async snapshot(revision?: number): Promise<Snapshot | null> {
    if (revision === undefined) return this.#newest()
    const files = this.#tables.files(revision)
    return files === null ? null : { revision, files }
  }

  /** The newest revision's number, every kept revision and the last refusal. */
  async status(): Promise<Omit<Status, 'isolate'>> {
    const { newest, revisions, refusal } = this.#tables
    return { revision: newest(), revisions: revisions(), lastError: refusal() }
  }

  /** Replaces all files at once. */
  async putAll(files: readonly ConfigFile[], who: string): Promise<Outcome> {
    return this.#inTurn(() => this.#change(files, who))
  }

  /** Adds one file, or replaces the one of its key. */
  async putFile(file: ConfigFile, who: string): Promise<Outcome> {
    return this.#inTurn(() => {
      const before = this.#newest().files
      const others = before.filter(({ key }) => key !== file.key)
      return this.#change([...others, file], who, { before, changed: file.key })
    })
  }

  /** Removes one file. @returns null when there is no such file. */
  async removeFile(key: string, who: string): Promise<Outcome | null> {
    return this.#inTurn(() => {
      const before = this.#newest().files
      const others = before.filter((file) => file.key !== key)
      return others.length === before.length ? null : this.#change(others, who, { before })
    })
  }

  /** Makes a new revision with the files of a kept one. @returns null when that revision is not kept. */
  async rollBack(revision: number, who: string): Promise<Outcome | null> {
    const files = this.#tables.files(revision)
    return files === null ? null : this.#inTurn(() => this.#change(files, who, { restored: revision }))
  }

  /** The allow and deny lists of all domains. */
  async lists(): Promise<ListingSet> {
    return toListingSet(this.#listings.version(), this.#listings.inForce(nowSeconds()))
  }

  /** Adds, replaces and takes away listings. @returns null, with nothing changed, where more than the bound would be kept. */
  async changeLists(sent: readonly SentListing[], who: string): Promise<ListingSet | null> {
    const at = Date.now()
    const now = nowSeconds()
    const listings = sent.map(({ seconds, ...listing }) => ({
      ...listing,
      until: seconds === null ? null : now + seconds,
      at,
      who,
    }))
    return this.#listings.change(listings, now, listBounds.kept) ? this.lists() : null
  }

  /** Compiles and compares as `putAll` would, and changes nothing. */
  async check(files: readonly ConfigFile[]): Promise<Outcome> {
    return this.#inTurn(() => this.#check(files))
  }

  /** Puts files when nothing was ever accepted, for a first start. @returns null when there was something. */
  async seed(files: readonly ConfigFile[], who: string): Promise<Outcome | null> {
    return this.#inTurn(() => (this.#tables.newest() === 0 ? this.#change(files, who) : null))
  }

  /** Writes a little and waits until it is on disk, for a health check that means it. */
  async probe(): Promise<void> {
    await this.ctx.storage.put('probe', Date.now())
    await this.ctx.storage.sync()
  }

  /** Does what `begin` finds to do once its turn has come, in slices; null for nothing. */
  #inTurn<T>(begin: () => Sliced<T>): Promise<T>
  #inTurn<T>(begin: () => Sliced<T> | null): Promise<T | null>
  #inTurn<T>(begin: () => Sliced<T> | null): Promise<T | null> {
    return this.#mutex.run(async () => {
      const work = begin()
      return work === null ? null : doInSlices(work, pause)
    })
  }

  *#readNewest(): Sliced<Newer<object>> {
    const revision = this.#tables.newest()
    if (this.#parsed?.revision === revision) return this.#parsed
    this.#parsed = { revision, files: yield* parseFilesInSlices(this.#tables.files(revision) ?? []) }
    return this.#parsed
  }

  *#check(files: readonly ConfigFile[]): Sliced<Outcome> {
    const before = this.#newest().files
    const judged = yield* judgeFiles(files, readSettings({ ...this.env }))
    if (judged.mistakes.length > 0) return { isAccepted: false, ...boundMistakes(judged.mistakes) }
    const changes = yield* this.#compare(before, judged)
    return { isAccepted: true, revision: this.#tables.newest(), changes }
  }

  /** Adds the lists where the caller lacks them. @returns null where it lacks nothing. */
  #newer<F>(newest: Newer<F>, revision: number, listVersion?: number): Newer<F> | null {
    const version = this.#listings.version()
    if (listVersion === undefined || listVersion === version) return newest.revision === revision ? null : newest
    return { ...newest, lists: { version, listings: this.#listings.inForce(nowSeconds()) } }
  }

  #newest(): Snapshot {
    const revision = this.#tables.newest()
    return { revision, files: this.#tables.files(revision) ?? [] }
  }

  *#change(
    files: readonly ConfigFile[],
    who: string,
    { changed, restored, before = this.#newest().files }: ChangeOptions = {},
  ): Sliced<Outcome> {
    const at = Date.now()
    const judged = yield* judgeFiles(files, readSettings({ ...this.env }), changed)
    if (judged.mistakes.length > 0) {
      const refusal = boundMistakes(judged.mistakes)
      this.#tables.refuse({ at, who, mistakes: refusal.mistakes })
      return { isAccepted: false, ...refusal }
    }
    const changes = yield* this.#compare(before, judged)
    const next = { revision: this.#tables.newest() + 1, at, who, ...(restored !== undefined && { restored }), changes }
    this.#tables.append(next, judged.files, revisionsKept)
    this.#parsed = { revision: next.revision, files: judged.parsed }
    return { isAccepted: true, revision: next.revision, changes }
  }

  /** @param before - the files of the newest revision. */
  *#compare(before: readonly ConfigFile[], judged: Judged): Sliced<Changes> {
    const kept = this.#parsed
    const parsed = kept?.revision === this.#tables.newest() ? kept.files : yield* parseFilesInSlices(before)
    return yield* compareRules({ files: before, parsed }, judged, readSettings({ ...this.env }))
  }
}

interface ChangeOptions {
  /** Runtime key of the one file that is being changed. */
  readonly changed?: string
  /** The revision that a roll back brings back. */
  readonly restored?: number
  /** The files of the newest revision, where they were read already: they may have 24 MB. */
  readonly before?: readonly ConfigFile[]
}
