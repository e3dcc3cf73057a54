/** A line of a plot. */
export type Line = { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] }

/** Lines over a logarithmic x axis. */
export type Panel = { readonly title: string; readonly lines: readonly Line[] }

/** Options for {@link drawPanels}. */
export type PlotOptions = {
  readonly xTitle: string
  readonly yTitle: string
  /** A horizontal line at this height. */
  readonly goal: { readonly y: number; readonly name: string }
}

const panel = { left: 62, top: 66, width: 300, height: 220, apart: 410 }
const colors = ['c1', 'c2', 'c3', 'c4', 'c5']

// It has its own background in both color schemes, so that it is readable on any page.
const style = `
  .background { fill: #ffffff; stroke: #d0d7de } text { fill: #1f2328; font: 12px system-ui, sans-serif } .title { font-weight: 600; font-size: 14px }
  .grid { stroke: #d8dee4 } .goal { stroke: #6e7781; stroke-dasharray: 5 4 } .line { fill: none; stroke-width: 2 }
  .c1 { stroke: #0969da } .c2 { stroke: #bc4c00 } .c3 { stroke: #1a7f37 } .c4 { stroke: #8250df } .c5 { stroke: #cf222e }
  @media (prefers-color-scheme: dark) {
    .background { fill: #0d1117; stroke: #30363d } text { fill: #e6edf3 } .grid { stroke: #21262d } .goal { stroke: #8b949e }
    .c1 { stroke: #58a6ff } .c2 { stroke: #f0883e } .c3 { stroke: #3fb950 } .c4 { stroke: #bc8cff } .c5 { stroke: #ff7b72 }
  }`

const drawText = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`

const formatPower = (power: number): string =>
  `10${[...String(power)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('')}`

const drawPanel = ({ title, lines }: Panel, left: number, { xTitle, yTitle, goal }: PlotOptions): string => {
  const { top, width, height } = panel
  const xs = lines.flatMap(({ points }) => points.map(([x]) => Math.log10(x)))
  const [least, most] = [Math.floor(Math.min(...xs)), Math.ceil(Math.max(...xs))]
  const highest = Math.max(2, Math.ceil(Math.max(...lines.flatMap(({ points }) => points.map(([, y]) => y)))))
  const bottom = top + height
  const toX = (x: number): number => left + ((Math.log10(x) - least) / Math.max(1, most - least)) * width
  const toY = (y: number): number => bottom - (y / highest) * height
  const ticks = Array.from({ length: 2 * highest + 1 }, (_, index) => index / 2)
  const powers = Array.from({ length: most - least + 1 }, (_, index) => least + index)
  const drawHorizontal = (y: number, kind: string): string =>
    `<line class="${kind}" x1="${left}" x2="${left + width}" y1="${toY(y).toFixed(1)}" y2="${toY(y).toFixed(1)}"/>`
  return [
    drawText(left, top - 30, title, 'class="title"'),
    drawText(left, top - 10, yTitle),
    ...ticks.map(
      (y) => drawHorizontal(y, 'grid') + drawText(left - 8, toY(y) + 4, String(y), 'text-anchor="end"'),
    ),
    drawHorizontal(goal.y, 'goal') + drawText(left + width, toY(goal.y) - 6, goal.name, 'text-anchor="end"'),
    ...powers.map((power) =>
      drawText(toX(10 ** power), bottom + 18, formatPower(power), 'text-anchor="middle"'),
    ),
    drawText(left + width / 2, bottom + 38, xTitle, 'text-anchor="middle"'),
    ...lines.map(({ name, points }, index) => {
      const path = points.map(([x, y]) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(' ')
      const legend = bottom + 62 + 18 * index
      const color = colors[index % colors.length]
      return `<polyline class="line ${color}" points="${path}"/><line class="line ${color}" x1="${left}" x2="${left + 22}" y1="${legend - 4}" y2="${legend - 4}"/>${drawText(left + 30, legend, name)}`
    }),
  ].join('\n')
}

/** Draws panels side by side as SVG. */
export const drawPanels = (panels: readonly Panel[], options: PlotOptions): string => {
  const width = panel.left + panel.apart * (panels.length - 1) + panel.width + 36
  const legends = Math.max(...panels.map(({ lines }) => lines.length))
  const height = panel.top + panel.height + 62 + 18 * legends
  const drawn = panels.map((each, index) => drawPanel(each, panel.left + panel.apart * index, options))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>Cost of a delivery by the number of deliveries in the store</title>
<style>${style}
</style>
<rect class="background" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
${drawn.join('\n')}
</svg>
`
}
