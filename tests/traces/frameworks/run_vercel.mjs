// Vercel AI SDK: the messages of the model, and those of a chat.

import { appendFileSync } from "node:fs";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";

const [baseURL, folder, name] = process.argv.slice(2);
const note = (record, kind) => appendFileSync(`${folder}/${name}.${kind}`, `${JSON.stringify(record)}\n`);
const tools = {
  look_up: tool({
    description: "Look up an order.",
    inputSchema: z.object({ order_id: z.string() }),
    execute: ({ order_id }) => {
      const answer = `order ${order_id}: paid 90`;
      note({ tool: "look_up", arguments: { order_id }, answer }, "called.jsonl");
      return answer;
    },
  }),
  refund: tool({
    description: "Refund a part of an order.",
    inputSchema: z.object({ order_id: z.string(), amount: z.number() }),
    execute: ({ order_id, amount }) => {
      const said = { tool: "refund", arguments: { order_id, amount } };
      if (amount > 90) {
        note({ ...said, error: "at most 90" }, "called.jsonl");
        throw new Error("at most 90");
      }
      note({ ...said, answer: "refunded" }, "called.jsonl");
      return "refunded";
    },
  }),
};
const asked = { role: "user", content: "Look up the orders 7 and 8, then refund order 7." };
const model = createOpenAICompatible({ name: "local", baseURL })("local");
const result = await generateText({ model, tools, stopWhen: stepCountIs(6), messages: [asked] });
note([asked, ...result.response.messages], "messages.json");
