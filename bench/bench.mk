# Benchmarks. Each says its question when it runs. DATA is a folder of real
# text: rfc.jsonl.zst and mail.jsonl.zst, documents in time order. What a run
# prints is kept in bench/results/, so that a change shows as a diff.

DATA  ?= ../shared/data
BENCH ?= $(DATA)/rfc.jsonl.zst

.PHONY: bench bench-stages quality-origin check-origin plots

bench: bench-stages

# How fast is each arrow of the flow, and how near to what the machine can do?
bench-stages: build
	@tools/setup bench
	@ninja -C $(BUILD) bench/bench_stages
	@$(BUILD)/bench/bench_stages $(BENCH_FLAGS) $(BENCH) | \
	    tee bench/results/stages.txt

# How well is the origin found, with how little memory, and by which means?
# Some minutes for each stream; writes the tables of docs/evaluation.md.
quality-origin: build
	@tools/setup bench
	@for stream in mail rfc; do \
	    bench/quality_origin $(ORIGO) $(DATA)/$$stream.jsonl.zst \
	        >$(BUILD)/origin-$$stream.tsv && \
	    $(ORIGO) eval origin --paper $(DATA)/$$stream.jsonl.zst \
	        >$(BUILD)/paper-$$stream.md && \
	    cp $(BUILD)/origin-$$stream.tsv $(BUILD)/paper-$$stream.md \
	        bench/results || exit 1; \
	done
	@$(MAKE) --no-print-directory check-origin

# The claims and the page from what was measured before.
check-origin:
	@bench/check_origin.py --page docs/evaluation.md bench/results

plots:
	@tools/setup bench
	@bench/plot_eval bench/results docs/plots
