// Small charts as SVG from the server: they print, need no script, and have their figures as a table for screen readers.
import { type Html, type HtmlPart, html } from '../http/html.ts'

export interface Bar {
  readonly label: string
  readonly value: number
  /** The value as it is read. */
  readonly words: string
}

interface BarChart {
  readonly title: string
  readonly big: string
  readonly beside: string
  readonly bars: readonly Bar[]
}

const width = 290
const height = 80
const gap = 5

/** The last bar is the one that grows: this week. */
export function barChart({ title, big, beside, bars }: BarChart): Html {
  const most = Math.max(...bars.map(({ value }) => value), 1)
  const step = width / bars.length
  const barOf = ({ value }: Bar, index: number): Html => {
    const tall = value > 0 ? Math.max(2, (value / most) * height) : 1.5
    const kind = value > 0 ? (index === bars.length - 1 ? 'on' : '') : 'none'
    return html`<rect class="${kind}" x="${(index * step + gap / 2).toFixed(1)}" y="${(height - tall).toFixed(1)}" width="${(step - gap).toFixed(1)}" height="${tall.toFixed(1)}" rx="2"/>`
  }
  const labels = bars.map(
    ({ label }, index): HtmlPart =>
      index % 2 === 0 &&
      html`<text x="${((index + 0.5) * step).toFixed(1)}" y="${height + 14}" text-anchor="middle">${label}</text>`,
  )
  return html`<figure class="card chart"><figcaption>${title}</figcaption><p><span class="big">${big}</span> <span class="soft small">${beside}</span></p>
<svg viewBox="0 0 ${width} ${height + 18}" aria-hidden="true">${bars.map(barOf)}<line x1="0" x2="${width}" y1="${height + 0.5}" y2="${height + 0.5}"/>${labels}</svg>
<table class="sr"><caption>${title}</caption><tbody>${bars.map(({ label, words }) => html`<tr><th scope="row">${label}</th><td>${words}</td></tr>`)}</tbody></table></figure>`
}

export interface Share {
  readonly label: string
  readonly value: number
  readonly words: string
}

/** One bar cut into parts, with a key. */
export function shareChart({
  title,
  big,
  beside,
  shares,
}: {
  title: string
  big: string
  beside: string
  shares: readonly Share[]
}): Html {
  const sum = shares.reduce((total, { value }) => total + Math.max(0, value), 0)
  let at = 0
  const parts = shares.map(({ value }, index) => {
    const wide = sum > 0 ? (Math.max(0, value) / sum) * width : 0
    const part =
      wide > 0 &&
      html`<rect class="a${index}" x="${at.toFixed(1)}" y="0" width="${Math.max(1, wide - 2).toFixed(1)}" height="12" rx="2"/>`
    at += wide
    return part
  })
  return html`<figure class="card chart"><figcaption>${title}</figcaption><p><span class="big">${big}</span> <span class="soft small">${beside}</span></p>
${sum > 0 && html`<svg viewBox="0 0 ${width} 12" aria-hidden="true">${parts}</svg>`}
<table class="key"><caption class="sr">${title}</caption><tbody>${shares.map(({ label, words }, index) => html`<tr><th scope="row"><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="a${index}" width="10" height="10" rx="2"/></svg>${label}</th><td class="r num">${words}</td></tr>`)}</tbody></table></figure>`
}
