/**
 * Converts terminal output to an SVG with real text, in two steps: `readScreen` returns the visible lines, `drawTerminal`
 * draws them. Supports the sequences that `cadre` writes: colours, bold, dim, cursor moves, clear. Each character is one
 * column wide.
 */

const plain = { colour: undefined, bold: false, dim: false }
/** The effect of each number in a sequence that ends with `m`. */
const changes = {
  0: plain,
  1: { bold: true },
  2: { dim: true },
  22: { bold: false, dim: false },
  31: { colour: 'red' },
  32: { colour: 'green' },
  33: { colour: 'yellow' },
  34: { colour: 'blue' },
  35: { colour: 'magenta' },
  36: { colour: 'cyan' },
  39: { colour: undefined },
}

/** Returns lines of `{ text, colour, bold, dim }`, without overwritten text. */
export function readScreen(output) {
  const rows = [[]]
  let row = 0
  let column = 0
  let style = plain
  const put = (character) => {
    while (rows[row].length < column) rows[row].push({ character: ' ', style: plain })
    rows[row][column] = { character, style }
    column += 1
  }
  const obey = (command, parameters) => {
    const count = Number(parameters) || 1
    if (command === 'm') style = applyChanges(style, parameters)
    else if (command === 'A') row = Math.max(0, row - count)
    else if (command === 'B') row = Math.min(rows.length - 1, row + count)
    else if (command === 'C') column += count
    else if (command === 'G') column = count - 1
    else if (command === 'K') rows[row].length = Math.min(rows[row].length, column)
    else if (command === 'J') {
      rows[row].length = Math.min(rows[row].length, column)
      rows.length = row + 1
    }
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is about those.
  for (const [token, parameters, command] of output.matchAll(/\x1b\[([?\d;]*)([A-Za-z])|[^\x1b]/gu)) {
    if (command !== undefined) obey(command, parameters)
    else if (token === '\r') column = 0
    else if (token === '\n') {
      row += 1
      column = 0
      if (row === rows.length) rows.push([])
    } else if (token >= ' ') put(token)
  }
  return withoutEmptyEnd(rows.map(joinRuns))
}

/** Returns an SVG of parts of a screen, one below the other. A part has lines, and may have a caption above it. */
export function drawTerminal(parts, { title, columns }) {
  const width = 2 * margin + columns * advance
  const drawn = []
  let y = barHeight + margin
  parts.forEach(({ caption, lines }) => {
    if (caption !== undefined) {
      drawn.push(
        `<line class="rule" x1="0" x2="${width}" y1="${y - 4}" y2="${y - 4}"/>`,
        `<text class="caption" x="${margin}" y="${y + 15}">${escapeMarkup(caption)}</text>`,
      )
      y += 2 * lineHeight
    }
    for (const line of lines) {
      drawn.push(drawLine(line, y))
      y += lineHeight
    }
    y += lineHeight / 2
  })
  const height = Math.ceil(y + margin - lineHeight)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${escapeMarkup(title)}</title>
<style>${styles}</style>
<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<circle class="red" cx="20" cy="17" r="5"/><circle class="yellow" cx="38" cy="17" r="5"/><circle class="green" cx="56" cy="17" r="5"/>
${drawn.filter((line) => line !== '').join('\n')}
</svg>
`
}

const advance = 8
const lineHeight = 18
const margin = 18
const barHeight = 34

// A window with its own dark background: readable on light and dark pages. Only system fonts.
const styles = `
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:#d7dce2;white-space:pre}
.window{fill:#161b22;stroke:#57606a}.rule{stroke:#30363d}
.caption{fill:#9aa4af;font-style:italic}.bold{font-weight:700;fill:#fff}.dim{fill:#9aa4af}
.red{fill:#ff7b72}.green{fill:#56d364}.yellow{fill:#e3b341}.blue{fill:#79c0ff}.magenta{fill:#d2a8ff}.cyan{fill:#39c5cf}
`

function drawLine(runs, y) {
  let column = 0
  const pieces = runs.map((run) => {
    const x = margin + column * advance
    const length = [...run.text].length
    column += length
    const classes = [run.bold && 'bold', run.dim && 'dim', run.colour].filter(Boolean).join(' ')
    // The length keeps columns aligned with any font.
    const place = `x="${x}" textLength="${length * advance}" lengthAdjust="spacingAndGlyphs"`
    return `<tspan ${place}${classes === '' ? '' : ` class="${classes}"`}>${escapeMarkup(run.text)}</tspan>`
  })
  return pieces.length === 0 ? '' : `<text y="${y}" xml:space="preserve">${pieces.join('')}</text>`
}

function escapeMarkup(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function applyChanges(style, parameters) {
  return Object.assign({}, style, ...parameters.split(';').map((code) => changes[Number(code)]))
}

/** Merges adjacent cells of one style; drops trailing spaces. */
function joinRuns(cells) {
  const last = cells.findLastIndex(({ character }) => character !== ' ')
  const runs = []
  for (const { character, style } of cells.slice(0, last + 1)) {
    const run = runs.at(-1)
    const isSame =
      run !== undefined && run.colour === style.colour && run.bold === style.bold && run.dim === style.dim
    if (isSame) run.text += character
    else runs.push({ text: character, ...style })
  }
  return runs
}

function withoutEmptyEnd(lines) {
  const last = lines.findLastIndex((line) => line.length > 0)
  return lines.slice(0, last + 1)
}
