export interface ServerEvent {
  /** Of this event or, where it has none, of the last one that had: what `Last-Event-ID` is to say after a break. */
  readonly id: string
  readonly type: string
  readonly data: string
}

/** Reads a reply of server-sent events, until it ends or the caller has enough. An event that was cut off is dropped. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let event = emptyEvent('')
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const lines = (rest + decoder.decode(piece.value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line !== '') {
          takeLine(event, line)
          continue
        }
        if (event.data.length > 0) yield { id: event.id, type: event.type, data: event.data.join('\n') }
        event = emptyEvent(event.id)
      }
    }
  } finally {
    // Whoever has enough must not leave the connection behind.
    await reader.cancel().catch(() => {})
  }
}

const emptyEvent = (id: string) => ({ id, type: 'message', data: [] as string[] })

function takeLine(event: ReturnType<typeof emptyEvent>, line: string): void {
  const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
  if (name === 'id') event.id = value
  else if (name === 'event') event.type = value
  else if (name === 'data') event.data.push(value)
}
