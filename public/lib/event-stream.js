// Made from src/base/event-stream.ts by `npm run build`; change that file.

// src/base/event-stream.ts
function formatEvent({ event, data, id, retry }) {
  const lines = [];
  if (event !== void 0) lines.push(`event: ${event}`);
  if (id !== void 0) lines.push(`id: ${id}`);
  if (retry !== void 0) lines.push(`retry: ${retry}`);
  for (const line of data.split(/\r\n|\r|\n/)) lines.push(`data: ${line}`);
  return `${lines.join("\n")}

`;
}
function formatComment(text) {
  return `: ${text.replace(/[\r\n]+/g, " ")}

`;
}
function formatRetry(milliseconds) {
  return `retry: ${milliseconds}

`;
}
function startReading(lastEventId = "") {
  return { rest: "", event: "", data: [], lastEventId, retry: void 0, hasStarted: false };
}
function readEventText(reader, piece) {
  const isFirst = !reader.hasStarted && piece.length > 0;
  let text = reader.rest + (isFirst ? piece.replace(/^\uFEFF/, "") : piece);
  let held = "";
  if (text.endsWith("\r")) {
    held = "\r";
    text = text.slice(0, -1);
  }
  const lines = text.split(/\r\n|\r|\n/);
  const rest = (lines.pop() ?? "") + held;
  const events = [];
  let state = { ...reader, rest, hasStarted: reader.hasStarted || isFirst };
  for (const line of lines) {
    if (line === "") {
      if (state.data.length > 0) {
        events.push({
          event: state.event === "" ? "message" : state.event,
          data: state.data.join("\n"),
          lastEventId: state.lastEventId
        });
      }
      state = { ...state, event: "", data: [] };
    } else {
      state = readField(state, line);
    }
  }
  return { reader: state, events };
}
function readField(state, line) {
  const colon = line.indexOf(":");
  if (colon === 0) return state;
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (name === "data") return { ...state, data: [...state.data, value] };
  if (name === "event") return { ...state, event: value };
  if (name === "id" && !value.includes("\0")) return { ...state, lastEventId: value };
  if (name === "retry" && /^\d+$/.test(value)) return { ...state, retry: Number(value) };
  return state;
}
async function* readEvents(body, lastEventId = "") {
  if (body === null) return;
  const source = body.getReader();
  const decoder = new TextDecoder();
  let reader = startReading(lastEventId);
  try {
    for (; ; ) {
      const { done, value } = await source.read();
      if (done) return;
      const step = readEventText(reader, decoder.decode(value, { stream: true }));
      reader = step.reader;
      yield* step.events;
    }
  } finally {
    await source.cancel().catch(() => void 0);
  }
}
export {
  formatComment,
  formatEvent,
  formatRetry,
  readEventText,
  readEvents,
  startReading
};
