// How many rows a week can have: the style sheet has a rule for each number, and the page shows no more people.
export const maxWeekRows = 60
