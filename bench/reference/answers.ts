/** How the processes of the bare servers and drivers talk to the bench. */

/** Answers orders one after the other; ends when the process that sends them ends. */
export function answerOrders<Order>(answer: (order: Order) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (order: Order) => {
    void answer(order).then((message) => process.send?.(message));
  });
}
