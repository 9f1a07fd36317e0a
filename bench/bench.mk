# Benchmarks. Each says its question when it runs. DATA is a folder of real
# text: rfc.jsonl.zst and mail.jsonl.zst, documents in time order. What a run
# prints is kept in bench/results/, so that a change shows as a diff.

DATA  ?= ../shared/data
BENCH ?= $(DATA)/rfc.jsonl.zst

.PHONY: bench bench-stages plots

bench: bench-stages

# How fast is each arrow of the flow, and how near to what the machine can do?
bench-stages: build
	@tools/setup bench
	@ninja -C $(BUILD) bench/bench_stages
	@$(BUILD)/bench/bench_stages $(BENCH_FLAGS) $(BENCH) | \
	    tee bench/results/stages.txt

plots:
	@tools/setup bench
	@bench/plot_eval bench/results
