/**
 * What every join of the demo must come to, counted row by row with a `Set` and nothing clever: the yardstick, not a rival.
 * Reads the tables through apache-arrow alone. O(flights).
 */

/**
 * @param {import("apache-arrow").Table} flights
 * @param {import("apache-arrow").Table} airports
 * @param {import("apache-arrow").Table} western
 */
export function countByHand(flights, airports, western) {
  const isWestern = new Set(western.getChild("iata"));
  const departed = new Set();
  const counts = {
    flights: 0,
    fromWest: 0,
    notFromWest: 0,
    toWest: 0,
    notToWest: 0,
    milesFromWest: 0,
    withDeparture: 0,
    withoutDeparture: 0,
  };
  for (const batch of flights.batches) {
    const names = [...batch.getChild("origin").data[0].dictionary];
    const origin = batch.getChild("origin").data[0].values;
    const destination = batch.getChild("destination").data[0].values;
    const distance = batch.getChild("distance").data[0].values;
    for (let row = 0; row < batch.numRows; row++) {
      counts.flights++;
      departed.add(names[origin[row]]);
      if (isWestern.has(names[origin[row]])) {
        counts.fromWest++;
        counts.milesFromWest += distance[row];
      } else counts.notFromWest++;
      if (isWestern.has(names[destination[row]])) counts.toWest++;
      else counts.notToWest++;
    }
  }
  for (const iata of airports.getChild("iata")) {
    if (departed.has(iata)) counts.withDeparture++;
    else counts.withoutDeparture++;
  }
  return counts;
}
