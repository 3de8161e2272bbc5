// The type of a printed document: every size, weight and colour that text is set in.
import { colors, type Style } from './paper.ts'

export const labelStyle: Style = { weight: 'strong', size: 7.5, color: colors.muted, leading: 1.6 }
export const bodyStyle: Style = { weight: 'regular', size: 9, color: colors.ink, leading: 1.5 }
export const smallStyle: Style = { weight: 'regular', size: 8.25, color: colors.muted, leading: 1.5 }
export const strongStyle: Style = { ...bodyStyle, weight: 'strong' }
export const organisationNameStyle: Style = { weight: 'strong', size: 15, color: colors.ink, leading: 1.25 }
export const documentKindStyle: Style = { weight: 'regular', size: 10, color: colors.muted, leading: 1.3 }
export const documentNumberStyle: Style = { weight: 'strong', size: 19, color: colors.ink, leading: 1.2 }
export const amountStyle: Style = { weight: 'strong', size: 18, color: colors.accent, leading: 1.25 }
export const titleStyle: Style = { weight: 'strong', size: 12, color: colors.ink, leading: 1.35 }
export const totalStyle: Style = { weight: 'strong', size: 11.5, color: colors.ink, leading: 1.5 }

export const panelColors = { calm: colors.panel, good: colors.goodPanel, bad: colors.badPanel }
export const toneColors = { calm: colors.accent, good: colors.good, bad: colors.bad }
