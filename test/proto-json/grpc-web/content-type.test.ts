import { describe, expect, it } from 'vitest'
import {
  answerMediaType,
  type MediaType,
  parseMediaType,
  supportedMediaTypes,
} from '#proto-json/grpc-web/content-type.ts'

const parsed = (text: string): MediaType => {
  const media = parseMediaType(text)
  if (media === null) throw new Error(`not understood: ${text}`)
  return media
}

describe('parseMediaType()', () => {
  it('knows every variant and answers in kind', () => {
    const rows = supportedMediaTypes.map((name) => [
      name,
      parsed(name).protocol,
      parsed(name).format,
      parsed(name).answer,
    ])
    expect(rows).toEqual([
      ['application/grpc-web', 'grpc-web', 'proto', 'application/grpc-web'],
      ['application/grpc-web+proto', 'grpc-web', 'proto', 'application/grpc-web+proto'],
      ['application/grpc-web+json', 'grpc-web', 'json', 'application/grpc-web+json'],
      ['application/grpc-web-text', 'grpc-web-text', 'proto', 'application/grpc-web-text'],
      ['application/grpc-web-text+proto', 'grpc-web-text', 'proto', 'application/grpc-web-text+proto'],
      ['application/json', 'connect', 'json', 'application/json'],
      ['application/proto', 'connect', 'proto', 'application/proto'],
      ['application/x-protobuf', 'reverse-bridge', 'proto', 'application/x-protobuf'],
      ['application/protobuf', 'reverse-bridge', 'proto', 'application/protobuf'],
      ['application/grpc', 'reverse-bridge', 'proto', 'application/grpc'],
      ['application/grpc+proto', 'reverse-bridge', 'proto', 'application/grpc+proto'],
    ])
  })

  it('ignores parameters and case', () => {
    expect(parseMediaType('Application/GRPC-Web+Proto; charset=utf-8')).toEqual(
      parseMediaType('application/grpc-web+proto'),
    )
    expect(parseMediaType('application/json;charset=utf-8')?.protocol).toBe('connect')
  })

  it('is null for anything else', () => {
    for (const text of [
      null,
      '',
      'text/plain',
      'application/grpc-web+xml',
      'constructor',
      '__proto__',
      'application/grpc-webx',
    ]) {
      expect(parseMediaType(text)).toBeNull()
    }
  })
})

describe('answerMediaType()', () => {
  it('answers in text where a binary request accepts text first', () => {
    const binary = parsed('application/grpc-web+proto')
    expect(answerMediaType(binary, 'application/grpc-web-text').answer).toBe('application/grpc-web-text')
    expect(answerMediaType(binary, 'application/grpc-web-text, */*').answer).toBe('application/grpc-web-text')
    expect(answerMediaType(binary, '*/*')).toBe(binary)
    expect(answerMediaType(binary, null)).toBe(binary)
  })

  it('answers JSON and Connect in kind for any Accept header', () => {
    for (const name of ['application/grpc-web+json', 'application/json', 'application/x-protobuf']) {
      expect(answerMediaType(parsed(name), 'application/grpc-web-text')).toEqual(parsed(name))
    }
  })
})
