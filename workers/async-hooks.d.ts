/** The part of `node:async_hooks` that the platform has and this product uses. */

declare module 'node:async_hooks' {
  /** A value that follows a request through everything asynchronous that it causes. */
  export class AsyncLocalStorage<Value> {
    run<Result>(value: Value, body: () => Result): Result
    getStore(): Value | undefined
  }
}
