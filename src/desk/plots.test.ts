// Plots: columns stand on the scale they are drawn beside, up and down, and nothing is drawn of nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { barPlot, columnPlot } from './plots.ts'

const words = (value: number) => `[${value}]`

/** The lines of the scale: what each says, and where it is. */
const scaleOf = (svg: string) =>
  [...svg.matchAll(/<line [^>]*y1="([\d.-]+)"[^>]*\/><text [^>]*>\[([\d.e-]+)\]/g)].map(
    ([, y, value]) => [Number(value), Number(y)] as const,
  )
const columnsOf = (svg: string) =>
  [...svg.matchAll(/<rect class="s(\d)" x="([\d.]+)" y="([\d.-]+)" width="[\d.]+" height="([\d.]+)"\/>/g)].map(
    ([, series, , y, height]) => ({ series: Number(series), top: Number(y), bottom: Number(y) + Number(height) }),
  )

test('every column reaches from zero to its value, by the scale beside it', () => {
  const values = fc.array(
    fc.oneof(fc.integer({ min: -5_000, max: 90_000 }), fc.double({ min: 0.01, max: 40, noNaN: true })),
    {
      minLength: 1,
      maxLength: 30,
    },
  )
  fc.assert(
    fc.property(values, (given) => {
      const svg = String(
        columnPlot({
          title: 'T',
          series: ['A'],
          groups: given.map((value) => ({ label: 'l', values: [value] })),
          words,
        }),
      )
      const scale = scaleOf(svg)
      const [[low, lowY], [high, highY]] = [scale[0]!, scale.at(-1)!]
      const y = (value: number) => lowY + ((value - low) / (high - low)) * (highY - lowY)
      const drawn = columnsOf(svg)
      const shown = given.filter((value) => value !== 0)
      assert.equal(drawn.length, shown.length)
      for (const [index, value] of shown.entries()) {
        const { top, bottom } = drawn[index]!
        const [from, to] = [Math.min(y(0), y(value)), Math.max(y(0), y(value))]
        assert.ok(
          Math.abs(top - from) < 1.7 && Math.abs(bottom - to) < 1.7,
          `${value}: ${top}–${bottom}, not ${from}–${to}`,
        )
        assert.ok(value >= low && value <= high)
      }
    }),
  )
})

test('what was not measured is not drawn, and several series have a key', () => {
  const svg = String(
    columnPlot({
      title: 'T',
      series: ['Median', 'Nine of ten'],
      groups: [
        { label: 'a', values: [null, null] },
        { label: 'b', values: [1, 2] },
      ],
      words,
    }),
  )
  assert.deepEqual(
    columnsOf(svg).map(({ series }) => series),
    [0, 1],
  )
  assert.match(svg, /Nine of ten/)
})

test('bars have names that cannot break out, and none below zero', () => {
  const svg = String(
    barPlot({
      title: 'T',
      groups: [
        { label: '<b>Tess</b>', values: [3] },
        { label: 'Nobody', values: [-1] },
      ],
      words,
    }),
  )
  assert.match(svg, /&lt;b&gt;Tess/)
  assert.equal(svg.match(/<rect/g)?.length, 1)
})
