"""Pictures, clips and sounds become the right number of tokens, counted in every network."""

import pytest

from assessments.sizing.architectures import SampleSize, preset, sample_work
from assessments.sizing.architectures.samples import language_tokens


def work(slug, **size):
    return {w.role: w for w in sample_work(preset(slug), SampleSize(**size))}


def test_qwen_vl_pictures_round_to_whole_merged_patches():
    patches = preset("qwen2.5-vl-3b").patches
    assert language_tokens(patches, SampleSize(image_width_px=768, image_height_px=768)) == 27**2 == 729
    eight = work("qwen2.5-vl-3b", image_width_px=768, images=8, text_tokens=100)
    assert eight["main"].tokens == 5_832 + 100
    assert eight["vision_tower"].tokens == 8 * 729 * 4


def test_an_unlimited_picture_stops_at_the_default_limit_of_the_processor():
    patches = preset("qwen2-vl-7b").patches
    assert language_tokens(patches, SampleSize(image_width_px=10_000, image_height_px=10_000)) == 16_384


def test_gemma_3_counts_4096_patches_in_the_tower_and_256_in_the_language_model():
    one = work("gemma-3-4b", image_width_px=896, image_height_px=896)
    assert (one["vision_tower"].tokens, one["main"].tokens) == (4096, 256)
    assert one["vision_tower"].forward_flops > one["main"].forward_flops


def test_a_fixed_tower_sees_the_same_patches_whatever_the_picture():
    small, large = (work("llava-1.5-7b", image_width_px=side)["vision_tower"].tokens for side in (200, 4000))
    assert small == large == 577


def test_a_vision_transformer_has_its_patches_and_class_token():
    assert work("vit-b-16")["main"].tokens == 197
    assert work("vit-b-16")["main"].forward_flops / 2e9 == pytest.approx(17.5, rel=0.03)


def test_whisper_pads_every_recording_to_windows_of_30_seconds():
    short, window, long = (work("whisper-large-v3", audio_s=s, text_tokens=100)["main"].tokens for s in (3, 30, 31))
    assert short == window < long


def test_video_latents_are_patches_of_frames_too():
    clip = work("wan2.1-1.3b", image_width_px=832, image_height_px=480, frames=81)["main"]
    assert clip.tokens == 21 * 52 * 30


def test_work_of_convolutional_networks_is_the_published_one():
    assert work("resnet-50")["main"].forward_flops / 2e9 == pytest.approx(4.09, rel=0.02)
    assert work("convnext-b")["main"].forward_flops / 2e9 == pytest.approx(15.4, rel=0.02)
    assert work("sd-1.5", image_width_px=512)["main"].forward_flops / 2e9 == pytest.approx(400, rel=0.05)


def test_a_larger_picture_costs_convolutions_in_proportion_and_attention_more():
    base, double = (work("sdxl", image_width_px=side)["main"].forward_flops for side in (512, 1024))
    assert 4 < double / base < 5
    base, double = (work("resnet-50", image_width_px=side)["main"].forward_flops for side in (224, 448))
    assert double / base == pytest.approx(4)


def test_text_of_a_decoder_is_its_sequence():
    main = work("llama-3.1-8b", text_tokens=4096)["main"]
    assert main.tokens == 4096
    attention = preset("llama-3.1-8b").attention_flops(4096)
    assert main.forward_flops == pytest.approx(4096 * (2 * (7_504_924_672 - 65 * 4096) + attention))
